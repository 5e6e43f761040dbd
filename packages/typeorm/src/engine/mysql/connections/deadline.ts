/** Gives up waiting for an answer. The statement may go on in the server: nobody knows its outcome. */
export function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return withDeadlines(() => work, milliseconds);
}

/** The same for work of several statements, each of which has that long: it says so whenever one is answered. */
export async function withDeadlines<T>(work: (heard: () => void) => Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let answers = 0;
  const deadline = new Promise<never>((_resolve, reject) => {
    // An answer that has come while this process was busy is read before that.
    timer = setTimeout(() => {
      const before = answers;
      setImmediate(() => answers === before && reject(new AnswerOverdueError(milliseconds)));
    }, milliseconds);
  });
  try {
    const heard = () => {
      answers++;
      if (!isOver) {
        timer?.refresh();
      }
    };
    return await Promise.race([work(heard), deadline]);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

/** Looks like mysql2's own errors of a broken connection. */
export class AnswerOverdueError extends Error {
  readonly fatal = true;

  constructor(milliseconds: number) {
    super(`the server has not answered for ${milliseconds} ms`);
  }
}
