/** Decodes base64 in chunks of any size; a body may consist of several padded parts (gRPC-Web, text mode). */
import { Transform, type TransformCallback } from 'node:stream'

export class Base64Decoder extends Transform {
  /** An incomplete group of four characters. */
  #rest = ''

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = this.#rest + chunk.toString('latin1').replace(/[\r\n]/g, '')
    const whole = text.length - (text.length % 4)
    this.#rest = text.slice(whole)
    const decoded = decodePieces(text.slice(0, whole))
    if (decoded === null) done(new Error('the body is not valid base64'))
    else done(null, decoded)
  }

  override _flush(done: TransformCallback): void {
    if (this.#rest === '') done()
    else done(new Error('the base64 body is truncated'))
  }
}

/** Decodes complete groups of four; padding ends a part, not the text. Null if the text is not base64. */
function decodePieces(text: string): Buffer | null {
  if (!/^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/.test(text)) return null
  return Buffer.concat(text.split(/(?<==)(?!=)/).map(piece => Buffer.from(piece, 'base64')))
}
