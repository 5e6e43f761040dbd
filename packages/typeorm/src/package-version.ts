/** The version of this package, which each worker tells. A test holds it equal to that of package.json. */
export const PACKAGE_VERSION = '0.1.0';
