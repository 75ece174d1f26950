/** Where the process runs, as the manifests of echo-basic say it. */
import { text, type VariableDefinitions } from 'svc/plugin'

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
