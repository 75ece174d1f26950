/** Plans rounds: the files of the SDK tier run twice, the second time with packages that need a newer Node. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { bundleTests } from './bundle.ts'
import type { Bundles } from './bundle.ts'
import type { ReplicaFiles } from './replica-files.ts'
import type { TestFile } from './tiers.ts'

/** Aliases in package.json of package versions that no longer support Node 20. */
const NEWEST = {
  openai: 'openai-latest',
  '@google/genai': 'genai-latest',
  ai: 'ai-latest',
  '@ai-sdk/openai': 'ai-sdk-openai-latest',
}
/** The Node version of the package `node`. */
const NODE_22 = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node')

/** Label of the round with replicas. */
export const WITH_REPLICAS = ' with replicas'

export interface Round {
  /** Appended to the names of its files. */
  label: string
  node: string
  /** Additional environment variables. */
  env: Record<string, string>
  bundles: Bundles
  files: TestFile[]
}

/** `replicated` are the files that run with several replicas, too. */
export async function planRounds(files: TestFile[], replicated: ReplicaFiles | undefined): Promise<Round[]> {
  const sdkFiles = files.filter(({ tier, mode }) => tier === 'sdk' && mode !== 'loader')
  const [usual, newest, replicas] = await Promise.all([
    bundle(files, 'usual', {}),
    sdkFiles.length > 0 && existsSync(NODE_22) ? bundle(sdkFiles, 'newest', NEWEST) : null,
    replicated !== undefined && replicated.files.length > 0 ? bundle(replicated.files, 'replicas', {}) : null,
  ])
  return [
    { label: '', node: process.execPath, env: {}, bundles: usual, files },
    ...(newest === null ? [] : [{ label: ' on Node 22', node: NODE_22, env: {}, bundles: newest, files: sdkFiles }]),
    ...(replicas === null || replicated === undefined
      ? []
      : [
          {
            label: WITH_REPLICAS,
            node: process.execPath,
            bundles: replicas,
            files: replicated.files,
            env: replicated.env,
          },
        ]),
  ]
}

/** A line for the summary if the plan leaves out a round, otherwise undefined. */
export function missingRound(files: readonly TestFile[]): string | undefined {
  return files.some(({ tier }) => tier === 'sdk') && !existsSync(NODE_22)
    ? 'skipped: the SDK tier on Node 22, which is not installed\n'
    : undefined
}

function bundle(files: TestFile[], name: string, packages: Record<string, string>): Promise<Bundles> {
  return bundleTests(
    files.filter(({ mode }) => mode !== 'loader').map(({ path }) => path),
    name,
    packages,
  )
}
