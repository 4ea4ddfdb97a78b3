import { update } from './update.js';

const live = document.querySelector('#live');
const notice = document.querySelector('#notice');
const offline = document.querySelector('#offline');
let latest = 0;

/** Asks for the orders again and shows what has changed. */
async function refresh() {
  latest += 1;
  const mine = latest;
  const response = await fetch('/live', { cache: 'no-store', signal: AbortSignal.timeout(5000) });
  if (!response.ok) throw new Error(`the application answered ${response.status}`);
  const fresh = document.createElement('template');
  fresh.innerHTML = await response.text(); // escaped where it was made
  if (mine === latest) update(live, fresh.content);
}

function say(text) {
  notice.textContent = text;
  notice.hidden = text === '';
}

live.addEventListener('submit', async (event) => {
  event.preventDefault();
  const body = new URLSearchParams(new FormData(event.target, event.submitter));
  const card = event.target.closest('article');
  card.focus({ preventScroll: true }); // a button loses the focus when it is disabled
  for (const button of card.querySelectorAll('button')) button.disabled = true;
  try {
    const response = await fetch('/commands', { method: 'POST', body });
    say(response.ok ? '' : await response.text());
  } catch {
    say('The application does not answer: it is not known whether this was sent.');
  }
  await showAnew();
});

async function showAnew() {
  offline.hidden = await refresh().then(
    () => true,
    () => false,
  );
}

for (;;) {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await showAnew();
}
