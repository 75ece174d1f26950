/** Looks up the call of an outer request on the inner side of the bridge. */
import type { Metadata } from '@grpc/grpc-js'
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { MediaTypeCall } from 'svc/toolkit'
import type { CompressedFlags } from './compressed-flags.ts'
import { BRIDGE_CALL } from './headers.ts'

export interface OpenCall {
  readonly tracked: MediaTypeCall
  readonly request: IncomingMessage | Http2ServerRequest
  /** Only for services that ask for it. */
  readonly compressed?: CompressedFlags
}

export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>()
  #last = 0

  /** Returns the id of the call, valid until `remove`. */
  add(call: OpenCall): string {
    const id = String(++this.#last)
    this.#calls.set(id, call)
    return id
  }

  /** Undefined if the call has ended, or is neither captured nor affected by faults. */
  find(metadata: Metadata): OpenCall | undefined {
    return this.#calls.get(metadata.get(BRIDGE_CALL)[0]?.toString() ?? '')
  }

  remove(id: string): void {
    this.#calls.delete(id)
  }
}
