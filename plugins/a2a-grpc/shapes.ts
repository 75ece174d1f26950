/**
 * Which fields of the messages need conversion between JSON and the objects of the protobuf library: well-known types and
 * maps. All other fields are the same in both, bytes as base64 and enums as names.
 */
import type { MethodName } from './methods.ts'

/** A field that needs conversion: a message of that shape (or a list of them), a well-known type, or a map. */
export type Field = Shape | 'struct' | 'value' | 'timestamp' | 'map' | { readonly mapOf: Shape }
export interface Shape {
  readonly fields: Readonly<Record<string, Field>>
}

const shape = (fields: Record<string, Field>): Shape => ({ fields })

const part = shape({ data: 'value', metadata: 'struct' })
const message = shape({ parts: part, metadata: 'struct' })
const artifact = shape({ parts: part, metadata: 'struct' })
const status = shape({ message, timestamp: 'timestamp' })
const task = shape({ status, artifacts: artifact, history: message, metadata: 'struct' })
const plain = shape({})

const flow = shape({ scopes: 'map' })
const flows = shape({
  authorizationCode: flow,
  clientCredentials: flow,
  implicit: flow,
  password: flow,
  deviceCode: flow,
})
const scheme = shape({ oauth2SecurityScheme: shape({ flows }) })
const requirement = shape({ schemes: { mapOf: plain } })
const card = shape({
  capabilities: shape({ extensions: shape({ params: 'struct' }) }),
  securitySchemes: { mapOf: scheme },
  securityRequirements: requirement,
  skills: shape({ securityRequirements: requirement }),
  signatures: shape({ header: 'struct' }),
})

const sending = shape({ message, metadata: 'struct' })
const response = shape({
  task,
  message,
  statusUpdate: shape({ status, metadata: 'struct' }),
  artifactUpdate: shape({ artifact, metadata: 'struct' }),
})

/** Request and response of each method. */
export const SHAPES: Readonly<Record<MethodName, { request: Shape; response: Shape }>> = {
  SendMessage: { request: sending, response },
  SendStreamingMessage: { request: sending, response },
  GetTask: { request: plain, response: task },
  ListTasks: { request: shape({ statusTimestampAfter: 'timestamp' }), response: shape({ tasks: task }) },
  CancelTask: { request: shape({ metadata: 'struct' }), response: task },
  SubscribeToTask: { request: plain, response },
  CreateTaskPushNotificationConfig: { request: plain, response: plain },
  GetTaskPushNotificationConfig: { request: plain, response: plain },
  ListTaskPushNotificationConfigs: { request: plain, response: plain },
  GetExtendedAgentCard: { request: plain, response: card },
  DeleteTaskPushNotificationConfig: { request: plain, response: plain },
}
