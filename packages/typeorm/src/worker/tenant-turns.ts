import type { Turns } from '../store/claim/claim-strategy.js';

/**
 * What a claimer believes about the ready jobs of a queue's tenants: whether there are any, and whose turn was last. The
 * first only saves time, see `Backlog`; the second is what makes the turns fair. Processes do not share it: each goes round
 * by itself, from a place of its own, so each tenant has a turn in each of their rounds.
 */
export class TenantTurns {
  private last = Math.floor(Math.random() * 2 ** 32);
  private known = false;
  /** Whether this process has enqueued some since the last look, and since the last claim, was sent. */
  private addedSinceLook = false;
  private addedSinceClaim = false;

  /** Whether there are jobs of tenants. */
  get areKnown(): boolean {
    return this.known;
  }

  /** The lane that had its turn last, for a claim; undefined while no jobs of tenants are known. */
  get turn(): number | undefined {
    return this.known ? this.last : undefined;
  }

  /** This process has enqueued some. */
  add(): void {
    this.known = true;
    this.addedSinceLook = true;
    this.addedSinceClaim = true;
  }

  beginLook(): void {
    this.addedSinceLook = false;
  }

  /** A look has seen whether there are some. */
  see(hasTenants: boolean): void {
    this.known = hasTenants || this.addedSinceLook;
  }

  beginClaim(): void {
    this.addedSinceClaim = false;
  }

  claimed({ last, isOver, isFull }: Turns): void {
    this.last = last;
    this.known = !isOver || isFull || this.addedSinceClaim;
  }

  /** Nothing is known any more. */
  forget(): void {
    this.known = false;
  }
}
