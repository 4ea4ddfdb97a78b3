import { Sound } from './sound.js';
import { update } from './update.js';

const live = document.querySelector('#live');
const notice = document.querySelector('#notice');
const offline = document.querySelector('#offline');
const announcement = document.querySelector('#announcement');
const sound = new Sound(document.querySelector('#sound'), document.querySelector('#muted'));
const seen = new Set(newOrders().map(({ id }) => id));
let latest = 0;

function newOrders() {
  return [...live.querySelectorAll('[data-stage="CREATED"]')];
}

/** Tells a person who is not looking at the page: with the tab's title, a sound, and the screen reader. */
function announce() {
  const waiting = newOrders();
  const fresh = waiting.filter(({ id }) => !seen.has(id));
  for (const { id } of fresh) seen.add(id);
  document.title = waiting.length > 0 ? `(${waiting.length}) Pedidos` : 'Pedidos';
  if (fresh.length > 0) {
    announcement.textContent = fresh.map((card) => `Novo: ${card.getAttribute('aria-label')}`).join('. ');
  }
  sound.newOrders(waiting.length, fresh.length > 0);
}

/** Loads the orders and shows what has changed. */
async function refresh() {
  latest += 1;
  const own = latest;
  const response = await fetch('/live', { cache: 'no-store', signal: AbortSignal.timeout(5000) });
  if (!response.ok) throw new Error(`the application responded with ${response.status}`);
  const fresh = document.createElement('template');
  fresh.innerHTML = await response.text(); // escaped by the server
  if (own !== latest) return;
  update(live, fresh.content);
  announce();
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
    showNotice('O aplicativo não responde. Não se sabe se o comando foi enviado.');
  }
  await refreshPage();
});

async function refreshPage() {
  offline.hidden = await refresh().then(
    () => true,
    () => false,
  );
}

announce();
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await refreshPage();
}
