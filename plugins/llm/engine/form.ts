/** Multipart forms (RFC 7578). */
import { BadInput } from '../contract/errors.ts'
import type { RequestHeaders } from '../contract/provider.ts'

/** Parses the form of a request. The size of the body is limited before. */
export async function readForm({ body, headers }: { body: Buffer; headers: RequestHeaders }): Promise<FormData> {
  const type = headers['content-type']
  try {
    return await new Response(new Uint8Array(body), {
      headers: { 'content-type': typeof type === 'string' ? type : '' },
    }).formData()
  } catch {
    throw new BadInput('Invalid body: expected a multipart form.', { param: 'file' })
  }
}
