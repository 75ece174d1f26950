/** The section `demos` of svc.yaml. */
import type { JsonSchema } from 'svc/plugin'

export interface DemosSection {
  folders?: string[]
  files?: string[]
  targets?: string[]
}

const paths = (description: string): JsonSchema => ({
  type: 'array',
  maxItems: 50,
  items: { type: 'string', minLength: 1, maxLength: 1000 },
  description,
})

export const DEMOS_OPTIONS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'Guided demos of your own, and the gateways that runs over HTTP may use.',
  properties: {
    folders: paths('Folders with demos, one a file, relative to svc.yaml. They may replace built-in demos.'),
    files: paths('Files with one demo each, relative to svc.yaml. They may replace built-in demos.'),
    targets: {
      type: 'array',
      maxItems: 50,
      items: { type: 'string', maxLength: 300 },
      description:
        'Origins of gateways through which `POST /_svc/demos/runs` may send, such as http://gateway:8000, besides those in probe.targets.',
    },
  },
}
