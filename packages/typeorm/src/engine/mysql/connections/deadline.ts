/** Stops waiting for an answer after some time. The statement may go on in the server: its outcome is unknown. */
export function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return withDeadlines(() => work, milliseconds);
}

/** The same for work of several statements that each have that time: it calls `onResponse` after each answer. */
export async function withDeadlines<T>(work: (onResponse: () => void) => Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let responses = 0;
  const deadline = new Promise<never>((_resolve, reject) => {
    // An answer that arrived while this process was busy is read first.
    timer = setTimeout(() => {
      const before = responses;
      setImmediate(() => responses === before && reject(new ResponseTimeoutError(milliseconds)));
    }, milliseconds);
  });
  try {
    const onResponse = () => {
      responses++;
      if (!isOver) {
        timer?.refresh();
      }
    };
    return await Promise.race([work(onResponse), deadline]);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

/** Has the properties of mysql2's errors of broken connections. */
export class ResponseTimeoutError extends Error {
  readonly fatal = true;

  constructor(milliseconds: number) {
    super(`The server has not answered for ${milliseconds} ms.`);
  }
}
