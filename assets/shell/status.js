// The sentence over the picture, the figures below it, and what is read out.
import { count, fixed, short, span } from "./format.js";

const byId = (id) => document.getElementById(id);
const readingPause = 10_000; // ms between two readings while training

const titles = { training: "Training", paused: "Paused", done: "Trained", diverged: "Training diverged", idle: "Untrained" };

// createStatus returns show(state).
export function createStatus() {
  const live = byId("live");
  let lastStatus = "";
  let lastRead = 0;
  let lastLoss = NaN;

  function put(id, text) {
    const element = byId(id);
    if (element.textContent !== text) element.textContent = text;
  }

  function figures(s) {
    put("figure-step", `${count(s.step)} / ${count(s.total)}`);
    put("figure-speed", s.status === "training" && s.setsPerS > 0 ? count(s.setsPerS) : "–");
    put("figure-loss", s.step > 0 ? fixed(s.loss, 3) : "–");
    put("figure-kl", fixed(s.kl, 4));
    put("figure-left", s.status === "training" ? (s.secsLeft > 0 ? span(s.secsLeft) : "…") : titles[s.status].toLowerCase());
    put("figure-left-label", s.status === "training" ? "time left" : "state");
    byId("progress").value = s.total > 0 ? s.step / s.total : 0;
    put("provenance", [s.model && `Model: ${s.model}.`, s.kernel && `Computed with ${s.kernel}.`].filter(Boolean).join(" "));
  }

  function sentence(s) {
    put("lede-n", count(s.n));
    put("lede-eps", short(s.eps));
    put("lede-zdim", s.zdim === 1 ? "1 number" : `${s.zdim} numbers`);
    byId("lede").classList.toggle("own", s.ownData);
    put("lede-own", s.dataName ? `\u00a0(${s.dataName})` : "");
    let gap = "";
    if (s.status === "diverged") gap = "Training went astray.";
    else if (s.refitting) gap = `It ${s.status === "training" ? "is catching up from" : "was fitted for"} ε = ${short(s.fitEps)}.`;
    else if (Number.isFinite(s.setKL)) gap = `They are ${s.setKL < 0.001 ? "less than 0.001" : fixed(s.setKL, 3)} nats apart.`;
    put("lede-gap", gap);
  }

  function readOut(s) {
    const now = performance.now();
    const changed = s.status !== lastStatus;
    if (!changed && (s.status !== "training" || now - lastRead < readingPause)) return;
    const trend = changed || !Number.isFinite(lastLoss) ? "" : s.loss < lastLoss ? ", falling" : ", not falling";
    lastStatus = s.status;
    lastRead = now;
    lastLoss = s.loss;
    const parts = [`${titles[s.status]}: step ${s.step} of ${s.total}`];
    if (s.step > 0 && Number.isFinite(s.loss)) parts.push(`loss ${fixed(s.loss, 2)}${trend}`);
    if (Number.isFinite(s.kl)) parts.push(`KL ${fixed(s.kl, 3)}`);
    live.textContent = `${parts.join(", ")}.`;
  }

  return {
    show(state) {
      figures(state);
      sentence(state);
      readOut(state);
    },
  };
}
