const MOST_WORKERS = 6;
const MOST_ORDERS = 8;
/** How often the page refreshes, in ms. */
const REFRESH_INTERVAL = 1_000;

const byId = (id) => document.getElementById(id);
const action = (name) => document.querySelector(`[data-action=${name}]`);

/** Text is never parsed as HTML, because customers write some of it. */
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

async function ask(method, path, body) {
  const response = await fetch(path, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!response.ok) {
    throw new Error((await response.json()).message);
  }
  return response.status === 204 ? undefined : response.json();
}

function showMessage(text, hasFailed = false) {
  const message = byId('message');
  message.classList.toggle('failed', hasFailed);
  // A screen reader announces the text each time it is set.
  if (message.textContent !== text) {
    message.textContent = text;
  }
}

/** Performs the action of a button, and shows its result. `done` is the message, or a function that returns it. */
async function act(done, work) {
  let failure;
  try {
    await work();
  } catch (error) {
    failure = error;
  }
  await refresh();
  if (failure) {
    showMessage(`That did not work: ${failure.message}`, true);
  } else if (isThere) {
    showMessage(typeof done === 'function' ? done() : done);
  }
}

function jobLink({ id, name, state, attempt }, of = '') {
  const times = attempt > 1 ? `, attempt ${attempt}` : '';
  const link = element('a', { href: `queues/jobs/${id}` }, `${name}${of}`);
  return element('span', {}, link, ' ', element('span', { className: state }, `${state}${times}`));
}

/** Changes only what differs between two elements, so that a link keeps its focus. */
function update(old, next) {
  if (old.isEqualNode(next)) {
    return;
  }
  if (old.tagName === undefined || old.tagName !== next.tagName) {
    old.replaceWith(next);
    return;
  }
  for (const { name, value } of next.attributes) {
    old.setAttribute(name, value);
  }
  const children = [...next.childNodes];
  const both = [...old.childNodes].slice(0, children.length);
  [...old.childNodes].slice(children.length).forEach((child) => child.remove());
  old.append(...children.slice(both.length));
  both.forEach((child, place) => update(child, children[place]));
}

/** Updates the lines of a list in the same way. */
function fill(list, entries, last = () => []) {
  const old = new Map([...list.children].map((line) => [line.dataset.key, line]));
  entries.forEach((entry, place) => {
    const { key, title, details } = entry;
    let line = old.get(key);
    if (!line) {
      line = element('li', {}, element('span'), element('span', { className: 'jobs' }), ...last(entry));
      line.dataset.key = key;
    }
    old.delete(key);
    update(line.children[0], element('span', {}, title));
    update(line.children[1], element('span', { className: 'jobs' }, ...details));
    if (list.children[place] !== line) {
      list.insertBefore(line, list.children[place] ?? null);
    }
  });
  old.forEach((line) => line.remove());
}

/** The next line moves under the pointer after a kill, so a double click must not kill two workers. */
const KILL_PAUSE = 500;
let killedAt = -Infinity;

function killMessage(name) {
  const jobs = controls.killed.find((killed) => killed.name === name)?.jobs ?? [];
  return jobs.length > 0 ? `${name} was killed. Its jobs will run again.` : `${name} was killed. It ran no job.`;
}

function killButton({ key: pid, title: name }) {
  const button = element('button', { type: 'button', className: 'kill' }, 'Kill');
  button.setAttribute('aria-label', `Kill ${name}`);
  button.addEventListener('click', async () => {
    if (performance.now() - killedAt < KILL_PAUSE) {
      return;
    }
    killedAt = performance.now();
    button.disabled = true;
    await act(
      () => killMessage(name),
      () => ask('DELETE', `controls/workers/${pid}`),
    );
    // The button is gone with its line. This one is never disabled.
    action('one').focus();
  });
  return [button];
}

const ofKey = ({ key }) => (key ? ` of ${key}` : '');
const details = (jobs, none) => (jobs.length > 0 ? jobs.map((job) => jobLink(job, ofKey(job))) : [none]);

let controls;

function showControls() {
  const { receiver, alerts, workers, killed } = controls;
  const isFailing = receiver === 'failing';
  byId('mood').textContent = isFailing
    ? 'failing: it rejects all notices'
    : 'a little unwell: it rejects every fifth notice';
  action('mood').textContent = isFailing ? 'Heal it' : 'Make it fail';
  action('mood').disabled = false;
  action('more').disabled = workers.length >= MOST_WORKERS;
  action('fewer').disabled = workers.length === 0;
  fill(
    byId('worker-list'),
    workers.map(({ name, pid, isReady, jobs }) => ({
      key: String(pid),
      title: name,
      details: details(jobs, isReady ? 'is idle' : 'starts'),
    })),
    killButton,
  );
  byId('alerts').hidden = alerts.length === 0;
  fill(
    byId('alert-list'),
    alerts.map(({ id, text }) => ({ key: id, title: text, details: [] })),
  );
  byId('killed').hidden = killed.length === 0;
  fill(
    byId('killed-list'),
    killed.map(({ name, jobs }) => ({ key: name, title: name, details: details(jobs, 'ran no job') })),
  );
}

function showOrders(orders) {
  fill(
    byId('order-list'),
    orders.slice(0, MOST_ORDERS).map(({ order, jobs }) => ({
      key: String(order.id),
      title: `${order.id}: ${order.item}, ${order.status}`,
      details: jobs.map((job) => jobLink(job)),
    })),
  );
}

/** Whether the shop answered the last request. */
let isThere = true;

async function refresh() {
  try {
    const [now, orders] = await Promise.all([ask('GET', 'controls'), ask('GET', 'orders')]);
    controls = now;
    showControls();
    showOrders(orders);
    if (!isThere) {
      showMessage('The shop is back.');
    }
    isThere = true;
  } catch {
    isThere = false;
    showMessage('The shop does not answer. Has it ended?', true);
  }
}

function onClick(name, done, work) {
  action(name).addEventListener('click', () => void act(done, work));
}

const scaleBy = (step) => ask('PUT', 'controls/workers', { count: controls.workers.length + step });

onClick('one', 'An order was placed.', () => ask('POST', 'controls/orders', { count: 1 }));
onClick('burst', '100 orders were placed.', () => ask('POST', 'controls/orders', { count: 100 }));
onClick('more', 'A worker starts.', () => scaleBy(1));
onClick('fewer', 'The newest worker is stopping.', () => scaleBy(-1));
onClick(
  'mood',
  () =>
    controls.receiver === 'failing'
      ? 'The receiver rejects all notices. They are retried, each time after a longer delay.'
      : 'The receiver is back. Waiting notices are delivered at their next attempt.',
  () => ask('PUT', 'controls/receiver', { mood: controls.receiver === 'failing' ? 'a little unwell' : 'failing' }),
);

async function keepRefreshing() {
  await refresh();
  setTimeout(() => void keepRefreshing(), REFRESH_INTERVAL);
}
await keepRefreshing();
