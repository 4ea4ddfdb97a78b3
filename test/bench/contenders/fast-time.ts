/**
 * Loaded before everything else (`--import`): timers and clocks of the process
 * run fifty times as fast, so that an hour of polls takes a minute. Sockets do
 * not notice. undici and fetch look their timers up at each call.
 */
export const SPEED = 50;

const { now: realWall } = Date;
const realNow = performance.now.bind(performance);
const { setTimeout: realTimeout, setInterval: realInterval } = globalThis;
const startedAt = realWall();

Date.now = () => Math.round(startedAt + (realWall() - startedAt) * SPEED);
performance.now = () => realNow() * SPEED;
globalThis.setTimeout = Object.assign(
  (work: () => void, ms = 0, ...rest: []) => realTimeout(work, ms / SPEED, ...rest),
  realTimeout,
) as typeof setTimeout;
globalThis.setInterval = ((work: () => void, ms = 0) => realInterval(work, ms / SPEED)) as typeof setInterval;
