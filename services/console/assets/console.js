// Optional enhancements: times of the reader's zone from the next page on, copying a key, and showing
// the name of the chosen file.
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
  input.addEventListener('change', () => {
    name.textContent = input.files[0]?.name ?? '';
  });
}

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
