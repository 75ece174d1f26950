/** The section `probe` of svc.yaml: defaults of the command. */
import type { JsonSchema } from 'svc/plugin'

export interface ProbeSection {
  repeat?: number
  timeout?: number
  concurrency?: number
  groups?: string[]
  skip?: string[]
  pairs?: string[]
  fail_on?: string
  baseline?: string
  routes?: string
  targets?: string[]
}

export const PROBE_OPTIONS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'Defaults of `svc probe`. The command line wins. Credentials are given as --header or --bearer.',
  properties: {
    repeat: { type: 'integer', minimum: 1, maximum: 10, description: 'Runs of a check that found something.' },
    timeout: { type: 'integer', minimum: 1, maximum: 120, description: 'Seconds that a step may take.' },
    concurrency: { type: 'integer', minimum: 1, maximum: 32, description: 'Checks at a time.' },
    groups: { type: 'array', maxItems: 50, items: { type: 'string' }, description: 'Only these groups.' },
    skip: { type: 'array', maxItems: 500, items: { type: 'string' }, description: 'Ids of checks that do not run.' },
    pairs: {
      type: 'array',
      maxItems: 50,
      items: { type: 'string', maxLength: 100 },
      description: 'Only these pairs of wires, such as messages:converse.',
    },
    fail_on: {
      type: 'string',
      maxLength: 200,
      description: 'Findings that count for the exit code, such as fail,warn.',
    },
    baseline: { type: 'string', maxLength: 1000, description: 'File with known findings.' },
    targets: {
      type: 'array',
      maxItems: 50,
      items: { type: 'string', maxLength: 300 },
      description:
        'Origins of gateways that `POST /_svc/probe/runs` may probe, such as http://gateway:8000. Default: none.',
    },
    routes: { type: 'string', maxLength: 1000, description: 'File with the paths and URLs of groups.' },
  },
}
