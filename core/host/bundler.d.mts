import type { Bundler } from '../contract/bundler.ts'

/** Builds without stopping the service: for processes that end when they have built. */
export const RESIDENT: Bundler

/** The owner of esbuild's service, of which a process has one. The service is stopped `idleMs` (2000) after the last build. */
export function createBundler(idleMs?: number): Bundler
