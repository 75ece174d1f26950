/** `svc schema`: the JSON Schema of svc.yaml, for editors. */
import { svcYamlSchema } from '../config/svc-yaml-schema.ts'
import { CORE_SECTION_SCHEMAS } from '../rules/rule-schema.ts'
import type { Command } from '../contract/plugin.ts'
import { readArguments } from './arguments.ts'
import { findDefinitions } from './plugin-definitions.ts'
import type { Terminal } from './terminal.ts'

export function schemaCommand(terminal: Terminal): Command {
  return {
    name: 'schema',
    summary: 'print the JSON Schema of svc.yaml, for editors',
    group: 'configure',
    usage: `usage: svc schema [--config <file>] > svc.schema.json

Prints a JSON Schema (2020-12) with the sections of all plugins that the server would find at start, including your
own. Editors with the YAML language server use it when svc.yaml begins with

  # yaml-language-server: $schema=./svc.schema.json

  --config <file>   use this svc.yaml
`,
    async run(args) {
      const { options } = readArguments(args, { config: { value: 'file' } })
      const definitions = await findDefinitions(terminal, options.config as string | undefined)
      const plugins = definitions.map(({ name, definition }) => ({
        name,
        title: definition.title,
        section: definition.section ?? name,
        options: definition.options,
        documents: definition.documents,
      }))
      terminal.out.write(`${JSON.stringify(svcYamlSchema(plugins, CORE_SECTION_SCHEMAS), null, 2)}\n`)
      return { exitCode: 0 }
    },
  }
}
