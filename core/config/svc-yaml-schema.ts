/** The JSON Schema of `svc.yaml` for editors, made of the schemas that check it when it is read. */
import type { JsonSchema } from '../contract/plugin.ts'
import { pluginsSchema } from './svc-yaml.ts'

/** A plugin as far as the file is concerned. */
export interface PluginSection {
  name: string
  title: string
  /** Key of its section. */
  section: string
  /** Undefined: it takes no options. */
  options: JsonSchema | undefined
}

/** One schema (2020-12) for the whole file; names and sections are those of these plugins alone. */
export function svcYamlSchema(plugins: readonly PluginSection[]): JsonSchema {
  const names = plugins.map(({ name }) => name).toSorted()
  const sections = plugins
    .filter(({ options }) => options !== undefined)
    .toSorted((one, other) => (one.section < other.section ? -1 : 1))
    .map(({ section, title, options }) => [section, { title, ...forEditors(options!, section) }])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'svc.yaml',
    description:
      'Configuration of svc. It knows the plugins it was made with; "svc schema" makes one that knows yours.',
    type: ['object', 'null'],
    additionalProperties: false,
    properties: {
      plugins: { title: 'Which plugins run', ...forEditors(hostSection(names), 'plugins') },
      ...Object.fromEntries(sections),
    },
  }
}

/** The host's own section, with the names that it takes. */
function hostSection(names: string[]): JsonSchema {
  const { enable, disable, dirs, packages } = pluginsSchema.properties
  return {
    ...pluginsSchema,
    properties: {
      enable: { ...enable, items: { enum: names }, description: 'If not empty: only these, and what they build on' },
      disable: { ...disable, items: { enum: names }, description: 'Wins over enable' },
      dirs: { ...dirs, description: 'Folders of plugins, from this file' },
      packages: { ...packages, description: 'Plugins from npm, resolved from the working directory' },
    },
  }
}

/** A section's schema at its place in the whole: references stay inside it, an empty section is none. */
function forEditors(schema: JsonSchema, section: string): JsonSchema {
  const { 'x-svc-editor': further, ...kept } = schema
  const whole = { ...kept, ...(further as JsonSchema | undefined) }
  const moved =
    '$id' in whole
      ? whole
      : (moveReferences(whole, `#/properties/${section.replaceAll('~', '~0').replaceAll('/', '~1')}`) as JsonSchema)
  return typeof moved.type === 'string' ? { ...moved, type: [moved.type, 'null'] } : moved
}

/** Keywords whose values are data, not schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples'])

function moveReferences(part: unknown, to: string): unknown {
  if (Array.isArray(part)) return part.map(inner => moveReferences(inner, to))
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(
    Object.entries(part).map(([key, inner]) => {
      if (key === '$ref' && typeof inner === 'string' && inner.startsWith('#')) return [key, `${to}${inner.slice(1)}`]
      return [key, DATA.has(key) ? inner : moveReferences(inner, to)]
    }),
  )
}
