const search = document.getElementById('search');
const key = document.getElementById('key');
const sections = [...document.querySelectorAll('main section')].map((section) => ({
  section,
  text: section.textContent.toLowerCase(),
  link: document.querySelector(`nav a[href='#${section.id}']`).parentElement,
}));

search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/);
  let found = 0;
  for (const { section, text, link } of sections) {
    const isFound = words.every((word) => text.includes(word));
    section.hidden = !isFound;
    link.hidden = !isFound;
    if (isFound) found += 1;
  }
  document.getElementById('found').textContent = `${found} of ${sections.length}`;
});

function urlOf(form) {
  const url = new URL(location.origin);
  let path = form.dataset.path;
  for (const { name, value, dataset } of form.querySelectorAll('input')) {
    if (dataset.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '') url.searchParams.set(name, value);
  }
  url.pathname = path;
  return url;
}

async function send(form) {
  const output = form.querySelector('pre');
  output.textContent = 'Sending…';
  try {
    const response = await fetch(urlOf(form), { headers: { 'X-Api-Key': key.value }, credentials: 'omit' });
    const text = await response.text();
    output.textContent = `${response.status} ${response.statusText}\n${JSON.stringify(JSON.parse(text), undefined, 2)}`;
  } catch (error) {
    output.textContent = `No response: ${error.message}`;
  }
}

for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}
