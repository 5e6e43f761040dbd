import { Injectable } from '@nestjs/common';

/** How the receiver is: a little unwell it refuses every fifth notice, failing it refuses all. */
export type Mood = 'a little unwell' | 'failing';

/** Stands for the seller's system. */
@Injectable()
export class Receiver {
  mood: Mood = 'a little unwell';
  private calls = 0;

  /** Whether it takes a notice. */
  accepts(): boolean {
    return this.mood !== 'failing' && ++this.calls % 5 !== 0;
  }
}
