/* global codeSample */
const byId = (id) => document.getElementById(id);
const [search, key, language] = [byId('search'), byId('key'), byId('language')];

const linkTo = ({ id }) => document.querySelector(`nav a[href='#${id}']`);

// What the search finds: conventions, endpoints, errors and schemas, each with its link.
const entries = [...document.querySelectorAll('[data-entry]')].map((entry) => ({
  entry,
  text: entry.textContent.toLowerCase(),
  link: linkTo(entry),
}));

function find() {
  const words = search.value.toLowerCase().split(/\s+/);
  let found = 0;
  for (const { entry, text, link } of entries) {
    const isFound = words.every((word) => text.includes(word));
    entry.hidden = !isFound;
    if (link) link.parentElement.hidden = !isFound;
    if (isFound) found += 1;
  }
  for (const group of document.querySelectorAll('[data-group]')) {
    group.hidden = !group.querySelector('[data-entry]:not([hidden])');
    const link = linkTo(group);
    if (link) link.parentElement.hidden = group.hidden;
  }
  const result = found === 0 ? 'Nothing found. Fewer words find more.' : `${found} of ${entries.length}`;
  byId('found').textContent = search.value === '' ? '' : result;
}
search.addEventListener('input', find);

// A link from outside leads to its target even while a search hides it.
addEventListener('hashchange', () => {
  const target = byId(decodeURIComponent(location.hash.slice(1)));
  if (!target?.closest('[hidden]')) return;
  search.value = '';
  find();
  target.scrollIntoView();
});

const inView = new IntersectionObserver(
  (changes) => {
    for (const { target, isIntersecting } of changes) {
      const link = entries.find(({ entry }) => entry === target)?.link;
      if (isIntersecting) link?.setAttribute('aria-current', 'location');
      else link?.removeAttribute('aria-current');
    }
  },
  { rootMargin: '-15% 0px -80%' },
);
for (const { entry } of entries) inView.observe(entry);

const valuesOf = (form) =>
  [...form.elements].flatMap(({ name, value, dataset }) =>
    dataset.place ? [{ name, place: dataset.place, type: dataset.type, value: value.trim() }] : [],
  );

// Shows the request of a form as code, with what is filled in or else the example of the page.
function show(form) {
  const { id, path } = form.dataset;
  const values = valuesOf(form);
  const isFilledIn = values.some(({ value }) => value !== '');
  for (const sample of form.querySelectorAll('[data-lang]')) {
    sample.hidden = sample.dataset.lang !== language.value;
    sample.dataset.example ??= sample.textContent.replace('https://survey.example.com', location.origin);
    sample.textContent = isFilledIn
      ? codeSample(sample.dataset.lang, location.origin, { id, path, values })
      : sample.dataset.example;
  }
}

function urlOf(form) {
  const url = new URL(location.origin);
  let { path } = form.dataset;
  for (const { name, place, value } of valuesOf(form)) {
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '') url.searchParams.set(name, value);
  }
  url.pathname = path;
  return url;
}

function formatted(text) {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

async function send(form) {
  const [output, title, headers] = ['output', '[data-title]', '.panel details'].map((part) => form.querySelector(part));
  headers.hidden = true;
  title.textContent = 'Sending…';
  const begun = performance.now();
  try {
    const response = await fetch(urlOf(form), { headers: { 'X-Api-Key': key.value }, credentials: 'omit', cache: 'no-store' });
    const text = await response.text();
    title.textContent = `Response: ${response.status} ${response.statusText}, ${Math.round(performance.now() - begun)} ms`;
    headers.lastChild.textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    headers.hidden = false;
    output.textContent = formatted(text);
  } catch (error) {
    title.textContent = 'No response';
    output.textContent = error.message;
  }
}

async function copy(form, button) {
  await navigator.clipboard.writeText(form.querySelector('[data-lang]:not([hidden])').textContent);
  button.textContent = 'Copied';
  setTimeout(() => (button.textContent = 'Copy'), 2_000);
}

for (const form of document.forms) {
  show(form);
  form.addEventListener('input', () => show(form));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
  form.querySelector('[data-copy]').addEventListener('click', ({ target }) => void copy(form, target));
}
language.addEventListener('change', () => {
  for (const form of document.forms) show(form);
});
