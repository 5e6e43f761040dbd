export { type DoctorOptions, examineDatabase } from './doctor.js';
export type { Finding, FindingStatus } from './finding.js';
