// What a screen reader hears. While something runs, it hears one sentence in ten seconds.

const pause = 10_000; // ms between two sentences while something runs
const least = 3000; // ms between any two sentences

// withoutNumbers returns the words of a sentence, which tell whether it says something else.
const withoutNumbers = (text = "") => text.replace(/[−-]?\d[\d.,\u202f:]*(?:×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?/g, "#");

// createAnnouncer returns hear(state, compose), for a wire.State. It calls say(compose(changed)) when something
// begins or ends, when there is another warning, and every ten seconds while something runs. changed says
// whether one of the first two is the cause. What comes too early is said later, in its last form.
export function createAnnouncer(say, now = () => performance.now()) {
  let last = -Infinity; // time of the last sentence
  let before = ""; // status, and the words of the warning, at the last sentence
  let ran = false; // whether something ran then
  let timer = 0;
  let latest = null;

  function look() {
    clearTimeout(timer);
    timer = 0;
    const { state, compose } = latest;
    const runs = Boolean(state.task);
    const present = JSON.stringify([state.status, withoutNumbers(state.warning)]);
    const changed = runs !== ran || present !== before;
    if (!changed && !runs) return;
    const wait = last + (runs && ran ? pause : least) - now();
    if (wait > 0) {
      timer = setTimeout(look, wait);
      return;
    }
    [last, before, ran] = [now(), present, runs];
    say(compose(changed));
  }

  return (state, compose) => {
    latest = { state, compose };
    look();
  };
}
