import { update } from './update.js';

const live = document.querySelector('#live');
const notice = document.querySelector('#notice');
const offline = document.querySelector('#offline');
let latest = 0;

/** Loads the orders and shows what has changed. */
async function refresh() {
  latest += 1;
  const own = latest;
  const response = await fetch('/live', { cache: 'no-store', signal: AbortSignal.timeout(5000) });
  if (!response.ok) throw new Error(`the application responded with ${response.status}`);
  const fresh = document.createElement('template');
  fresh.innerHTML = await response.text(); // escaped by the server
  if (own === latest) update(live, fresh.content);
}

function showNotice(text) {
  notice.textContent = text;
  notice.hidden = text === '';
}

live.addEventListener('submit', async (event) => {
  event.preventDefault();
  const body = new URLSearchParams(new FormData(event.target, event.submitter));
  const card = event.target.closest('article');
  card.focus({ preventScroll: true }); // a disabled button would lose the focus
  for (const button of card.querySelectorAll('button')) button.disabled = true;
  try {
    const response = await fetch('/commands', { method: 'POST', body });
    showNotice(response.ok ? '' : await response.text());
  } catch {
    showNotice('The application does not respond. It is unknown whether the command was sent.');
  }
  await refreshPage();
});

async function refreshPage() {
  offline.hidden = await refresh().then(
    () => true,
    () => false,
  );
}

for (;;) {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await refreshPage();
}
