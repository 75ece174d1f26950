/** The manifest of the published package, generated from the one of the checkout. */

/** The name `svc` belongs to an unrelated project. */
export const PUBLISHED_NAME = '@svc-upstream/svc'

/** Packages that npm installs with svc: they compile plugins in TypeScript. All others are bundled. */
export const INSTALLED = ['esbuild', 'tsx']

/** Its types are those of plugins in TypeScript. */
const TYPES = 'fastify'

/** Files and folders of the checkout that are published as they are. */
export const PUBLISHED_FILES = [
  'proto',
  'examples',
  'svc.yaml.example',
  'svc.schema.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
]

/** Where each module of `exports` is in the package: a script and its types. */
const SCRIPTS: Readonly<Record<string, string>> = {
  './plugin': './dist/modules/plugin.mjs',
  './toolkit': './dist/modules/toolkit.mjs',
  './testing': './dist/testing/testing.mjs',
}

/** The parts of a manifest that are read or written here. */
export interface Manifest {
  version: string
  description: string
  license: string
  type: string
  engines: Record<string, string>
  bin: Record<string, string>
  exports: Record<string, string | { types: string }>
  dependencies: Record<string, string>
}

export interface PublishedManifest extends Omit<Manifest, 'exports'> {
  name: string
  exports: Record<string, unknown>
  peerDependencies: Record<string, string>
  peerDependenciesMeta: Record<string, { optional: boolean }>
}

/** The manifest of the published package. Throws if a package that it names is not a dependency of the checkout. */
export function publishedManifest(checkout: Manifest): PublishedManifest {
  const { version, description, license, type, engines, bin, dependencies } = checkout
  const range = (name: string): string => {
    if (dependencies[name] === undefined) throw new Error(`${name} is not in the dependencies of package.json`)
    return dependencies[name]
  }
  return {
    name: PUBLISHED_NAME,
    version,
    description,
    license,
    type,
    engines,
    bin,
    exports: Object.fromEntries(
      Object.entries(checkout.exports).map(([name, target]) => [name, publishedTarget(name, target)]),
    ),
    dependencies: Object.fromEntries(INSTALLED.map(name => [name, range(name)])),
    peerDependencies: { [TYPES]: range(TYPES) },
    peerDependenciesMeta: { [TYPES]: { optional: true } },
  }
}

/** Modules of plugins have types only. */
function publishedTarget(name: string, target: string | { types: string }): unknown {
  if (typeof target === 'string') return target
  return SCRIPTS[name] === undefined ? { types: target.types } : { types: target.types, default: SCRIPTS[name] }
}
