/** Builds the request body for the upload of a document. */

/** Size in characters above which documents are compressed, so that they fit the body limit. */
const COMPRESSED_FROM = 256 * 1024

export async function documentBody(text: string): Promise<{ body: BodyInit; headers: Record<string, string> }> {
  const headers = { 'Content-Type': /^\s*\{/.test(text) ? 'application/json' : 'application/yaml' }
  if (text.length < COMPRESSED_FROM) return { body: text, headers }
  const compressed = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  return { body: await new Response(compressed).blob(), headers: { ...headers, 'Content-Encoding': 'gzip' } }
}
