/** The methods of the service by name, known before its packages are loaded (A2A 1.0, 10). */
export const SERVICE = 'lf.a2a.v1.A2AService'

export const METHODS = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'GetExtendedAgentCard',
  'DeleteTaskPushNotificationConfig',
] as const

export type MethodName = (typeof METHODS)[number]
