/** The JSON Schema of `svc.yaml` for editors, built from the schemas that validate the file when it is read. */
import type { JsonSchema } from '../contract/plugin.ts'
import { pluginsSchema } from './svc-yaml.ts'

/** The parts of a plugin that concern the file. */
export interface PluginSection {
  name: string
  title: string
  /** Key of its section in the file. */
  section: string
  /** Undefined if it takes no options. */
  options: JsonSchema | undefined
  /** Schemas of other files, by name. */
  documents?: Readonly<Record<string, JsonSchema>> | undefined
}

/** One schema (2020-12) for the whole file, limited to the names and sections of these plugins. */
export function svcYamlSchema(
  plugins: readonly PluginSection[],
  coreSections: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const names = plugins.map(({ name }) => name).toSorted()
  const sections = plugins
    .filter(({ options }) => options !== undefined)
    .toSorted((one, other) => (one.section < other.section ? -1 : 1))
    .map(({ section, title, options }) => [section, { title, ...forEditors(options!, section) }])
  const documents = plugins.flatMap(({ documents: own = {} }) => Object.entries(own))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'svc.yaml',
    description:
      'Configuration of svc. This schema covers the built-in plugins; run "svc schema" for one that includes your own.',
    type: ['object', 'null'],
    additionalProperties: false,
    properties: {
      plugins: { title: 'Which plugins run', ...forEditors(hostSection(names), 'plugins') },
      ...coreSections,
      ...Object.fromEntries(sections),
    },
    ...(documents.length === 0 ? {} : { $defs: Object.fromEntries(documents) }),
  }
}

/** The section of the host, with the plugin names it accepts. */
function hostSection(names: string[]): JsonSchema {
  const { enable, disable, dirs, packages } = pluginsSchema.properties
  return {
    ...pluginsSchema,
    properties: {
      enable: {
        ...enable,
        items: { enum: names },
        description: 'If not empty, run only these plugins and the plugins they depend on',
      },
      disable: {
        ...disable,
        items: { enum: names },
        description: 'Plugins that do not run; takes precedence over enable',
      },
      dirs: { ...dirs, description: 'Plugin folders, relative to this file' },
      packages: { ...packages, description: 'Plugins installed with npm, resolved from the working directory' },
    },
  }
}

/** Embeds the schema of a section: references stay inside it, and an empty section (null) is allowed. */
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

/** Only svc reads it: editors and validators need not know it. */
const SECRET = 'x-svc-secret'

function moveReferences(part: unknown, to: string): unknown {
  if (Array.isArray(part)) return part.map(inner => moveReferences(inner, to))
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(
    Object.entries(part)
      .filter(([key]) => key !== SECRET)
      .map(([key, inner]) => {
        if (key === '$ref' && typeof inner === 'string' && inner.startsWith('#')) return [key, `${to}${inner.slice(1)}`]
        return [key, DATA.has(key) ? inner : moveReferences(inner, to)]
      }),
  )
}
