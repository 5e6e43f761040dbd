/** Gives up waiting for an answer. The statement may go on in the server: nobody knows its outcome. */
export async function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new AnswerOverdueError(milliseconds)), milliseconds);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
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
