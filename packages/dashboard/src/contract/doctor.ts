/** `GET api/doctor`. */
export interface DoctorReport {
  readonly takenAt: number;
  /** Kind and version. */
  readonly server: string;
  readonly findings: readonly DoctorFinding[];
}

export interface DoctorFinding {
  readonly check: string;
  /** `notice`: it could not be found out. */
  readonly level: 'good' | 'notice' | 'warning' | 'problem';
  readonly text: string;
  /** Why it matters and what to change, a line each. */
  readonly advice: string | null;
}
