/** The section `orca` of svc.yaml, and the variables. */
import { type JsonSchema, parser, type Svc, type VariableDefinitions } from 'svc/plugin'
import { FORMATS, type Format } from './encode.ts'
import { type LoadReport, reportSchema } from './report.ts'

export interface OrcaOptions {
  /** Where every response has a report; absent: only where a request asks for it. */
  in_band?: 'header' | 'trailer'
  format: Format
  report?: LoadReport
}

export interface Variables {
  cpuUtilization: number | null
}

export type OrcaSvc = Svc<OrcaOptions, Variables>

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    in_band: {
      type: 'string',
      enum: ['header', 'trailer'],
      description: 'Every response has a report: in a header field, or in a trailer field if the body is streamed.',
    },
    format: {
      type: 'string',
      enum: [...FORMATS],
      default: 'JSON',
      description: 'Format of reports that no request asks for.',
    },
    report: { ...reportSchema, description: 'The reported values. Default: what is measured.' },
  },
}

const DECIMAL = /^\d{1,15}(?:\.\d{1,15})?$/

export const variables: VariableDefinitions<Variables> = {
  cpuUtilization: {
    name: 'ORCA_CPU_UTILIZATION',
    parser: parser('a number that is 0 or more', value => (DECIMAL.test(value) ? Number(value) : undefined)),
    default: null,
    defaultText: 'measured',
    description: '`cpu_utilization` of the load reports of ORCA, unless `orca.report` has it.',
  },
}
