// Optional enhancements: times of the reader's zone from the next page on, copying a key, showing the
// name of the chosen file, without which its form cannot be sent, and what is not saved yet.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
document.cookie = `__Host-console-zone=${timeZone}; Path=/; Max-Age=31536000; SameSite=Lax; Secure`;

for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    const source = document.getElementById(button.dataset.copy);
    const show = () => (button.textContent = button.dataset.copied);
    void navigator.clipboard.writeText(source.textContent.trim()).then(show);
  });
}

for (const input of document.querySelectorAll('.drop input[type=file]')) {
  const name = document.getElementById(input.dataset.name);
  const show = () => {
    name.textContent = input.files[0]?.name ?? '';
    for (const button of input.form.querySelectorAll('button')) button.disabled = input.files.length === 0;
  };
  input.addEventListener('change', show);
  show();
}

// Shows the bar that saves settings once something is changed, and names it.
for (const marker of document.querySelectorAll('[data-save]')) {
  const form = marker.closest('form');
  const bar = form.querySelector('.foot');
  const names = bar.appendChild(document.createElement('b'));
  names.role = 'status';
  const isChanged = (field) => {
    if (field.closest('.set') === null) return false;
    if (field.options) return field.value !== (field.querySelector('[selected]') ?? field.options[0]).value;
    return field.checked !== field.defaultChecked || field.value !== field.defaultValue;
  };
  const show = () => {
    const changed = [...form.elements].filter(isChanged);
    const titles = changed.map((field) => field.closest('.set').querySelector('label, b').textContent);
    names.textContent = `${marker.dataset.save} ${[...new Set(titles)].join(', ')}`;
    bar.hidden = changed.length === 0;
    bar.classList.toggle('stuck', changed.length > 0);
  };
  form.addEventListener('input', show);
  show();
}

// Asks before what is not saved is lost.
let submitted;
document.addEventListener('submit', ({ target }) => (submitted = target));
window.addEventListener('beforeunload', (event) => {
  const bar = document.querySelector('.foot.stuck');
  if (bar !== null && bar.closest('form') !== submitted) event.preventDefault();
});

// Moves the focus to the result of a form.
document.querySelector('[data-focus]')?.focus();

// Shows, two minutes before the session ends, how to keep it.
const WARN_SECONDS = 120;
function watchSession() {
  const session = document.getElementById('session');
  if (session === null) return;
  // Only readers without script need to know it all the time.
  session.querySelector('p').hidden = true;
  const warn = () => (session.querySelector('.note').hidden = false);
  setTimeout(warn, Math.max(0, session.dataset.seconds - WARN_SECONDS) * 1_000);
}
watchSession();
document.body.addEventListener('htmx:afterSwap', ({ target }) => target.id === 'session' && watchSession());
