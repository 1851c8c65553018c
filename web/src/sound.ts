// Sounds, made on the spot and off until the visitor turns them on: a knock for a move, two notes for the end of a game.

import { keep, remember } from "./storage";

let context: AudioContext | null = null;

export function soundsAreOn(): boolean {
  return remember("sounds") === "on";
}

export function turnSounds(on: boolean): void {
  keep("sounds", on ? "on" : "off");
  if (on) knock();
}

/** Wood on wood: a short noise through a narrow filter. */
export function knock(): void {
  play((audio, now) => {
    const length = Math.round(0.05 * audio.sampleRate);
    const noise = audio.createBuffer(1, length, audio.sampleRate);
    noise.getChannelData(0).forEach((_, i, samples) => (samples[i] = (2 * Math.random() - 1) * (1 - i / length) ** 4));
    const source = new AudioBufferSourceNode(audio, { buffer: noise });
    source.connect(new BiquadFilterNode(audio, { type: "bandpass", frequency: 1100, Q: 1.4 })).connect(audio.destination);
    source.start(now);
  });
}

export function endOfGame(): void {
  play((audio, now) => {
    [523, 392].forEach((frequency, i) => {
      const begin = now + 0.14 * i;
      const volume = new GainNode(audio, { gain: 0 });
      volume.gain.setTargetAtTime(0.12, begin, 0.01);
      volume.gain.setTargetAtTime(0, begin + 0.1, 0.12);
      const note = new OscillatorNode(audio, { type: "triangle", frequency });
      note.connect(volume).connect(audio.destination);
      note.start(begin);
      note.stop(begin + 1);
    });
  });
}

function play(make: (audio: AudioContext, now: number) => void): void {
  if (!soundsAreOn()) return;
  try {
    context ??= new AudioContext();
    void context.resume();
    make(context, context.currentTime);
  } catch {
    // a browser without sound: the game goes on
  }
}
