// The one that is installed for Tablequeue itself: plainjob brings none.
import Database from 'better-sqlite3';
import { better, defineQueue, defineWorker } from 'plainjob';

const TYPE = 'bench';

const logger = { error: console.error, warn: console.warn, info() {}, debug() {} };

/** @type {import('../subject.js').SubjectModule['open']} */
export async function open(url) {
  const database = new Database(url);
  // It sets the journal (WAL) and how it is synchronized (NORMAL) itself.
  const queue = defineQueue({ connection: better(database), logger });
  return {
    async reset() {
      database.exec('DELETE FROM plainjob_jobs; DELETE FROM plainjob_scheduled_jobs; VACUUM');
      database.pragma('wal_checkpoint(TRUNCATE)');
    },
    async enqueueMany(payloads) {
      queue.addMany(TYPE, [...payloads]);
    },
    async enqueue(payload) {
      queue.add(TYPE, payload);
    },
    async work(listener) {
      // One worker in this process: SQLite has one writer, and its documentation's several processes are no faster on
      // two cores. While there are jobs it gives nothing else in the process a turn.
      const worker = defineWorker(TYPE, (job) => listener.started(JSON.parse(job.data)), {
        queue,
        logger,
        // Called after the job has been stored as done.
        onCompleted: () => listener.finished(),
        // By default it polls once a second.
        pollIntervall: 10,
      });
      const working = worker.start();
      return async () => {
        await worker.stop();
        await working;
      };
    },
    async close() {
      queue.close();
    },
  };
}
