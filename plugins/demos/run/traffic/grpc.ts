/** Calls of gRPC and gRPC-Web. The answer is read as JSON: of a stream, as a list, with an event for each message. */
import type { Json, JsonObject } from 'svc/plugin'
import { InputProblem, isRecord } from 'svc/toolkit'
import type { ClientGrpcCall, ClientGrpcResult } from '../../../probe/types.ts'
import type { GrpcTraffic } from '../../file/demo.ts'
import { serviceOf } from '../grpc-services.ts'
import { targetOf, type RunContext } from '../context.ts'
import type { SentRequest } from '../sent.ts'
import { fieldsOf, type SendOptions } from './request.ts'

export async function sendGrpc(traffic: GrpcTraffic, options: SendOptions): Promise<SentRequest[]> {
  const { service, method, messages, deadlineMs, isWeb } = traffic
  const at = `${service}/${method}`
  const definition = (await serviceOf(options.context, service))[method]
  if (definition === undefined) throw new InputProblem(at, `the service has no such method`)
  if (messages.length !== 1 && !definition.requestStream) throw new InputProblem(at, 'the method takes one message')
  const encoded = messages.map(message => encodedBy(definition, message, at))
  const path = `/${at}`
  const { result, ...sent } = await callGrpc(
    { path, messages: encoded, isWeb, ...withDeadline(deadlineMs) },
    traffic,
    options,
  )
  const read: Json[] = result.messages.map(bytes => decodedBy(definition, bytes))
  const body = definition.responseStream ? read : read[0]
  return [
    {
      ...sent,
      sentBody: JSON.stringify(definition.requestStream ? messages : messages[0]),
      body: body === undefined ? '' : JSON.stringify(body),
      events: endsOf(result).map((atMs, index) => ({ atMs, event: 'message', data: JSON.stringify(read[index]) })),
    },
  ]
}

/** When the last byte of each message came, since the call was sent. */
function endsOf({ messages, answers: [answer] }: ClientGrpcResult): number[] {
  if (answer == null) return []
  const ends: number[] = []
  let [part, received, end] = [0, 0, 0]
  for (const { length } of messages) {
    end += 5 + length
    while (received < end && part < answer.parts.length) received += answer.parts[part++]!.bytes.length
    ends.push(answer.parts[part - 1]!.atMs - answer.sentAtMs)
  }
  return ends
}

const withDeadline = (deadlineMs: number | null): { deadlineMs?: number } => (deadlineMs === null ? {} : { deadlineMs })

interface Method {
  requestSerialize(message: object): Buffer
  requestDeserialize(bytes: Buffer): object
  responseDeserialize(bytes: Buffer): object
}

/** Throws `InputProblem` for a message that the method does not have: the encoder leaves out fields that it does not know. */
function encodedBy(method: Method, message: JsonObject, at: string): Buffer {
  let bytes: Buffer
  try {
    bytes = method.requestSerialize(message)
  } catch (error) {
    throw new InputProblem(at, `the message is not valid: ${(error as Error).message}`)
  }
  const known = method.requestDeserialize(bytes)
  const unknown = Object.keys(message).find(name => !Object.hasOwn(known, name))
  if (unknown !== undefined) throw new InputProblem(at, `the message has no field ${unknown}`)
  return bytes
}

/** Null: what came is not a message of the method. */
function decodedBy(method: Method, bytes: Buffer): Json {
  try {
    const message = method.responseDeserialize(bytes)
    return isRecord(message) ? (JSON.parse(JSON.stringify(message)) as Json) : null
  } catch {
    return null
  }
}

/** Where the calls of gRPC go: gateways may have a separate address for them. */
async function placeOf({ context }: SendOptions): Promise<Pick<RunContext['target'], 'address'> & { path: string }> {
  const { client, target } = context
  const route = target.routes?.paths.grpc
  if (route === undefined) return { address: target.address, path: '' }
  if (route.address === null) return { address: target.address, path: route.path }
  return { address: await client.resolve(route.address), path: route.path }
}

/** Sends a call with the marks of the run. */
export async function callGrpc(
  call: ClientGrpcCall,
  { headers, bearer }: Pick<GrpcTraffic, 'headers' | 'bearer'>,
  options: SendOptions,
): Promise<SentRequest & { result: ClientGrpcResult }> {
  const { context } = options
  const { target } = context
  const place = await placeOf(options)
  const metadata = fieldsOf({ headers, bearer }, options)
  const requestTarget = targetOf(context, `${place.path.replace(/\/$/, '')}${call.path}`)
  const share = options.answers.share()
  const result = await context.client.grpc(
    {
      ...call,
      path: requestTarget,
      metadata,
      ...(target.host === null ? {} : { authority: target.host }),
      ...(options.leaveAfterMs === null ? {} : { leaveAfterMs: options.leaveAfterMs }),
    },
    {
      address: place.address,
      trust: target.trust,
      limitMs: options.timeoutMs,
      signal: options.signal,
      onReceived: share.take,
    },
  )
  const answer = result.answers[0] ?? null
  // Messages are read into a body and events.
  share.keep(3 * (answer?.body.length ?? 0))
  const sentAtMs = answer?.sentAtMs ?? result.startedAtMs
  return {
    result,
    traffic: options.traffic,
    variant: options.variantNumber,
    method: 'POST',
    target: requestTarget,
    fields: metadata,
    sentBody: null,
    atMs: sentAtMs - options.startedAtMs,
    status: answer?.status ?? null,
    answerFields: [...(answer?.fields ?? []), ...(answer?.trailers ?? [])],
    body: '',
    ms: Math.max(0, (answer?.endAtMs ?? result.endedAtMs) - sentAtMs),
    error: result.error,
    events: [],
    firstMs: answer?.parts[0] === undefined ? null : answer.parts[0].atMs - sentAtMs,
    facts: {
      ...(result.status === null ? {} : { grpc_status: result.status }),
      ...(result.statusMessage === null ? {} : { grpc_message: result.statusMessage }),
    },
    tokens: null,
  }
}
