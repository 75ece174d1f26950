/** The manifest of the published package, generated from the one of the checkout. */

/** The name `svc` belongs to an unrelated project. */
export const PUBLISHED_NAME = '@svc-upstream/svc'

/** Packages that npm installs with svc. All others are part of its own files. */
export const INSTALLED = [
  '@bokuweb/zstd-wasm',
  '@fastify/websocket',
  '@seriousme/openapi-schema-validator',
  '@types/ws',
  'ajv',
  'ajv-formats',
  'chokidar',
  'esbuild',
  'fast-json-stringify',
  'fastify',
  'fastify-plugin',
  'find-my-way',
  'tsx',
  'ws',
  'yaml',
]

/** Files and folders of the checkout that are published as they are. */
export const PUBLISHED_FILES = [
  'backends',
  'bin',
  'core',
  'plugins',
  'proto',
  'examples',
  'svc.yaml.example',
  'svc.schema.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
]

/** The parts of a manifest that are read or written here. */
export interface Manifest {
  version: string
  description: string
  license: string
  type: string
  engines: Record<string, string>
  bin: Record<string, string>
  exports: Record<string, unknown>
  dependencies: Record<string, string>
}

/** The manifest of the published package. Throws if a package in `INSTALLED` is not a dependency of the checkout. */
export function publishedManifest(checkout: Manifest): Manifest & { name: string } {
  const { version, description, license, type, engines, bin, exports, dependencies } = checkout
  const missing = INSTALLED.find(name => dependencies[name] === undefined)
  if (missing !== undefined) throw new Error(`${missing} is not in the dependencies of package.json`)
  return {
    name: PUBLISHED_NAME,
    version,
    description,
    license,
    type,
    engines,
    bin,
    exports,
    dependencies: Object.fromEntries(INSTALLED.map(name => [name, dependencies[name]!])),
  }
}
