/** Declarative configuration for decK and Kong: this instance as a service, with a route per plugin. */
import type { PluginRecord } from 'svc/plugin'
import type { Format } from '../format.ts'
import { listPrefixes } from '../prefixes.ts'
import { writeYaml } from '../yaml.ts'

const TAGS = ['svc']

export function kong(plugins: () => PluginRecord[]): Format {
  return {
    id: 'kong',
    title: 'Kong (decK)',
    description: 'This instance as a Kong service with a route per plugin, without the control plane and the console.',
    file: 'kong.yaml',
    mediaType: 'application/yaml',
    filename: 'svc-kong.yaml',
    write: selection =>
      writeYaml({
        _format_version: '3.0',
        // decK deletes entities that the file does not list; this restricts it to entities with this tag.
        _info: { select_tags: TAGS },
        services: [
          {
            name: 'svc',
            url: selection.baseUrl,
            tags: TAGS,
            routes: listPrefixes(selection, plugins()).map(({ name, paths }) => ({
              name,
              paths,
              strip_path: false,
              tags: TAGS,
            })),
          },
        ],
      }),
  }
}
