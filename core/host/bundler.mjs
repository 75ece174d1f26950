/**
 * Owns the service of esbuild, a process of its own that stays resident with several hundred megabytes: it is stopped when
 * nothing is built, and started again for the next build. A stop makes running builds fail, so one owner does it for all
 * builds of a process.
 *
 * This file is JavaScript because it loads the TypeScript.
 */
import { createRequire } from 'node:module'

/** How long the service stays after a build, in milliseconds: further builds often follow. */
const IDLE_MS = 2000

/** Loads esbuild only if something has to be built, which the npm package seldom does. */
const load = () => createRequire(import.meta.url)('esbuild')

/** Builds without stopping the service: for processes that end when they have built. */
export const RESIDENT = { build: options => load().build(options) }

/** The owner, of which a process has one. */
export function createBundler(idleMs = IDLE_MS) {
  let running = 0
  let timer
  return {
    async build(options) {
      const esbuild = load()
      clearTimeout(timer)
      running++
      try {
        return await esbuild.build(options)
      } finally {
        if (--running === 0) timer = setTimeout(() => void esbuild.stop(), idleMs).unref()
      }
    },
  }
}
