// The nodes of a cluster that play the games of a run: their speed, and what was lost with them.

import type { JSX } from "preact";
import { language, t } from "../language";
import type { Point } from "./runs";

/** Of the newest iteration; losses are those of the whole run. Nothing where one machine plays alone. */
export function Nodes({ points, newest }: { points: Point[]; newest: Point }): JSX.Element | null {
  const nodes = newest.self_play.nodes ?? [];
  if (nodes.length === 0) return null;
  const lost = points.reduce(
    (total, point) => total + (point.self_play.nodes ?? []).reduce((sum, node) => sum + node.lost, 0),
    0,
  );
  return (
    <section class="card" aria-label={t("Nodes of the cluster")}>
      <h3>{t("Nodes")}</h3>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("Node")}</th>
            <th scope="col">{t("Cores")}</th>
            <th scope="col">{t("Units")}</th>
            <th scope="col">{t("Simulations a second")}</th>
            <th scope="col">{t("Lost units")}</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node, index) => (
            <tr key={index}>
              <th scope="row">{node.name}</th>
              <td class="number">{node.threads}</td>
              <td class="number">{node.units}</td>
              <td class="number">{Math.round(node.simulations_per_second).toLocaleString(language())}</td>
              <td class="number">{node.lost}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft small">
        {t("Of iteration {iteration}. Units of this run that were lost with a node and played again: {lost}.", {
          iteration: newest.iteration,
          lost,
        })}
      </p>
    </section>
  );
}
