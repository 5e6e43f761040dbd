import { Injectable } from '@nestjs/common';

/** The state of the receiver: `a little unwell` rejects every fifth notice, `failing` rejects all. */
export type Mood = 'a little unwell' | 'failing';

/** Simulates the seller's system. */
@Injectable()
export class Receiver {
  mood: Mood = 'a little unwell';
  private calls = 0;

  /** Returns whether it accepts the next notice. */
  accepts(): boolean {
    return this.mood !== 'failing' && ++this.calls % 5 !== 0;
  }
}
