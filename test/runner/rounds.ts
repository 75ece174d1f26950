/** Plans rounds: files of the SDK tier run twice, the second time with packages that need a newer Node. */
import { readFileSync } from 'node:fs'
import { nodeBinary } from '../support/node-versions.ts'
import { bundleTests, type Bundles } from './bundle.ts'
import { ensureInstalled, manifestOf } from './manifests.ts'
import type { ReplicaFiles } from './replica-files.ts'
import type { TestFile } from './tiers.ts'

/** Aliases in package.json of package versions that no longer support Node 20. */
const NEWEST = {
  openai: 'openai-latest',
  '@google/genai': 'genai-latest',
  ai: 'ai-latest',
  '@ai-sdk/openai': 'ai-sdk-openai-latest',
}
const ON_NODE_22 = ' on Node 22'
/** Files below it test with tools that need no second round. */
const TOOLS = 'sdk/tools/'

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

export interface PlanOptions {
  /** The files that run with several replicas, too. */
  replicated: ReplicaFiles | undefined
  /** Which files of the SDK tier run twice: all, or those whose packages have versions that need a newer Node. */
  twice: 'all' | 'newest'
}

export async function planRounds(files: TestFile[], { replicated, twice }: PlanOptions): Promise<Round[]> {
  for (const manifest of new Set([...files, ...(replicated?.files ?? [])].map(({ name }) => manifestOf(name))))
    ensureInstalled(manifest)
  // Examples of the documentation use vendors' SDKs.
  if (files.some(({ tier }) => tier === 'docs')) ensureInstalled('test/sdk')
  // A test of the tier compiles the descriptor sets.
  if (files.some(({ name }) => name.startsWith(TOOLS))) ensureInstalled('proto')
  const newest = nodeBinary('22')
  const again = files.filter(file => runsTwice(file) && (twice === 'all' || importsNewest(file)))
  const rounds = await Promise.all([
    plan(files, { label: '', node: process.execPath, env: {} }),
    newest === null ? [] : plan(again, { label: ON_NODE_22, node: newest, env: {} }, NEWEST),
    replicated === undefined
      ? []
      : plan(replicated.files, { label: WITH_REPLICAS, node: process.execPath, env: replicated.env }),
  ])
  return rounds.flat()
}

function runsTwice({ name, tier, mode }: TestFile): boolean {
  return tier === 'sdk' && mode !== 'loader' && !name.startsWith(TOOLS)
}

/** Whether a file itself imports a package of which there is a newer version. */
function importsNewest({ path }: TestFile): boolean {
  const source = readFileSync(path, 'utf8')
  return Object.keys(NEWEST).some(name => source.includes(`from '${name}'`) || source.includes(`from '${name}/`))
}

/** A line for the summary if the plan leaves out a round, otherwise undefined. */
export function missingRound(files: readonly TestFile[]): string | undefined {
  return files.some(runsTwice) && nodeBinary('22') === null
    ? 'skipped: the SDK tier on Node 22, which is not installed\n'
    : undefined
}

/** A round for each folder whose packages the files import. */
function plan(
  files: readonly TestFile[],
  how: Pick<Round, 'label' | 'node' | 'env'>,
  packages: Record<string, string> = {},
): Promise<Round[]> {
  const manifests = [...new Set(files.map(({ name }) => manifestOf(name)))]
  return Promise.all(
    manifests.map(async manifest => {
      const own = files.filter(({ name }) => manifestOf(name) === manifest)
      const bundled = own.filter(({ mode }) => mode !== 'loader').map(({ path }) => path)
      const name = how.label.trim().replaceAll(' ', '-') || 'usual'
      return { ...how, files: own, bundles: await bundleTests(bundled, { manifest, name, packages }) }
    }),
  )
}
