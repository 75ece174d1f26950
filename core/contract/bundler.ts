/** The extension point of the core for plugins that build scripts or style sheets while they run. */
import type { BuildOptions, BuildResult } from 'esbuild'

/**
 * `core.bundler`: builds with esbuild. Call it instead of esbuild, whose service the core stops when nothing is built through it.
 */
export interface Bundler {
  /** Rejects with esbuild's `BuildFailure`. */
  build<T extends BuildOptions>(options: T): Promise<BuildResult<T>>
}

declare module './plugin.ts' {
  interface ExtensionPoints {
    'core.bundler': Bundler
  }
}
