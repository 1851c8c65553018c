// The nodes that few simulations went through, thousands of them: drawn on a canvas below the tree, only where one looks,
// so that a large tree does not make the page slow. The canvas is as wide as its window and moves along when it scrolls.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { TreeRest } from "../protocol";
import type { Layout, Place } from "./layout";

const TONES = 10; // on each side of even

export function Crowd(props: { rest: TreeRest; layout: Layout; room: number; frame: { current: HTMLElement | null } }): JSX.Element {
  const { rest, layout, room } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const isCentred = useRef(false);
  useEffect(() => {
    const frame = props.frame.current;
    const root = layout.places.get(0);
    if (frame && root && !isCentred.current && layout.width > room) {
      isCentred.current = true;
      frame.scrollLeft = root.x - room / 2;
    }
    let asked = 0;
    const draw = (): void => {
      asked = 0;
      if (canvas.current && frame) drawCrowd(canvas.current, rest, layout, room, frame.scrollLeft);
    };
    const ask = (): void => {
      asked ||= requestAnimationFrame(draw);
    };
    ask();
    frame?.addEventListener("scroll", ask, { passive: true });
    const themes = new MutationObserver(ask);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    return () => {
      cancelAnimationFrame(asked);
      frame?.removeEventListener("scroll", ask);
      themes.disconnect();
    };
  }, [rest, layout, room]);
  return <canvas ref={canvas} class="tree-crowd" data-drawn={rest.node.length} aria-hidden="true" />;
}

function drawCrowd(canvas: HTMLCanvasElement, rest: TreeRest, layout: Layout, room: number, from: number): void {
  const scale = devicePixelRatio;
  const [width, height] = [Math.round(room * scale), Math.round(layout.height * scale)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  canvas.style.width = `${room}px`;
  canvas.style.height = `${layout.height}px`;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.setTransform(scale, 0, 0, scale, -from * scale, 0);
  pen.clearRect(from, 0, room, layout.height);
  const isSeen = ({ x }: Place): boolean => x > from - 20 && x < from + room + 20;
  const edges = new Path2D();
  const dots = Array.from({ length: 2 * TONES + 1 }, () => new Path2D());
  rest.node.forEach((node, i) => {
    const [place, parent] = [layout.places.get(node), layout.places.get(rest.parent[i] as number)];
    if (!place || !parent || !(isSeen(place) || isSeen(parent))) return;
    edges.moveTo(parent.x, parent.y);
    edges.lineTo(place.x, place.y);
    const dot = dots[Math.round(TONES * (1 + Math.max(-1, Math.min(1, rest.q[i] as number))))];
    dot?.rect(place.x - place.radius, place.y - place.radius, 2 * place.radius, 2 * place.radius);
  });
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  pen.lineWidth = 0.5;
  pen.strokeStyle = colour("--line");
  pen.stroke(edges);
  dots.forEach((dot, i) => {
    const value = i / TONES - 1;
    pen.fillStyle = `color-mix(in oklab, ${colour(value >= 0 ? "--q-first" : "--q-second")} ${Math.round(100 * Math.abs(value) ** 0.6)}%, ${colour("--q-even")})`;
    pen.fill(dot);
  });
}
