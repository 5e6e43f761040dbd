import { arch, cpus, platform, release, totalmem } from 'node:os';

/** What this machine is, and what day it is: beside every figure that is kept. */
export function machine(): string {
  const [processor] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${processor?.model}, ${memory} GB, ${platform()} ${release()} ${arch()}, Node.js ${process.version}, ${new Date().toISOString().slice(0, 10)}`;
}
