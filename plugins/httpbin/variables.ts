/** Where the process runs, as the manifests of echo-basic say it. */
import { type Svc, text, type VariableDefinitions } from 'svc/plugin'
import type { HttpbinOptions } from './options.ts'

export interface Variables {
  namespace: string
  ingress: string
  service: string
  pod: string
}

const variableOf = (name: string, what: string) => ({
  name,
  parser: text,
  default: '',
  defaultText: 'empty',
  description: `${what}, as \`/echo-basic\` shows it.`,
})

export const variables: VariableDefinitions<Variables> = {
  namespace: variableOf('NAMESPACE', 'Namespace of the pod'),
  ingress: variableOf('INGRESS_NAME', 'Name of the ingress'),
  service: variableOf('SERVICE_NAME', 'Name of the service'),
  pod: variableOf('POD_NAME', 'Name of the pod'),
}

/** The options of svc.yaml come before the variables. */
export function deploymentOf({ options, variables: values }: Svc<HttpbinOptions, Variables>): Variables {
  const { namespace, ingress, service, pod } = options.echo_basic
  return {
    namespace: namespace ?? values.namespace,
    ingress: ingress ?? values.ingress,
    service: service ?? values.service,
    pod: pod ?? values.pod,
  }
}
