/** `addsvc.Add`, the adding service of Go kit's example. */
import { type Methods, replies, type UnaryCall } from '../call.ts'

/** Numbers of 64 bits are texts. */
interface SumRequest {
  a?: string
  b?: string
}
interface ConcatRequest {
  a?: string
  b?: string
}

const MAX_SUM = 2n ** 31n - 1n
const MIN_SUM = -(2n ** 31n)
const MAX_CONCAT_BYTES = 10

export function addMethods(): Methods {
  return {
    Sum: replies<UnaryCall<SumRequest>>(({ request }) => {
      const a = BigInt(request.a ?? 0)
      const b = BigInt(request.b ?? 0)
      if (a === 0n && b === 0n) return { err: "can't sum two zeroes" }
      if ((b > 0n && a > MAX_SUM - b) || (b < 0n && a < MIN_SUM - b)) return { err: 'integer overflow' }
      return { v: String(a + b) }
    }),
    Concat: replies<UnaryCall<ConcatRequest>>(({ request: { a = '', b = '' } }) =>
      Buffer.byteLength(a) + Buffer.byteLength(b) > MAX_CONCAT_BYTES
        ? { err: 'result exceeds maximum size' }
        : { v: a + b },
    ),
  }
}
