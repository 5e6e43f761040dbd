import type { INestApplication } from '@nestjs/common';

/** Returns what the dashboard shows: its page, a deep link into it, a file that it loads, and a job from its API. */
export async function dashboardOf(app: INestApplication, id: string): Promise<string> {
  const base = `${await app.getUrl()}/queues`;
  const page = await textOf(base);
  const [, script = ''] = /src="([^"]*\.js)"/.exec(page) ?? [];
  const [, title] = /<title>(.*?)<\/title>/.exec(await textOf(`${base}/jobs/${id}`)) ?? [];
  const isLoaded = (await textOf(`${base}/${script}`)).length > 0;
  const job = JSON.parse(await textOf(`${base}/api/jobs/${id}`)) as { name: string; state: string };
  return `dashboard "${title}": ${job.name} ${job.state}, script ${isLoaded ? 'loaded' : 'missing'}`;
}

async function textOf(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`${url}: ${response.status} ${await response.text()}`);
  }
  return response.text();
}
