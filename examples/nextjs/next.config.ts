import type { NextConfig } from 'next';

export default {
  // They load drivers and files at run time, which a bundler cannot follow.
  serverExternalPackages: ['@tablequeue/typeorm', 'mysql2', 'typeorm'],
} satisfies NextConfig;
