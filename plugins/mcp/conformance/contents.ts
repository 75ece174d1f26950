/** Owns the image, audio and forms that the conformance fixtures share. */
import { encodePng } from '../demo/png.ts'
import type { Question } from '../types.ts'

/** One red pixel, base64. */
export const PNG = encodePng(1, () => [255, 0, 0]).toString('base64')

/** 10 ms of silence as base64: RIFF, PCM, 8 kHz, 8 bits, mono. */
export const WAV = encodeSilence(80).toString('base64')

function encodeSilence(samples: number): Buffer {
  const wav = Buffer.alloc(44 + samples, 128)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(36 + samples, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(8000, 24)
  wav.writeUInt32LE(8000, 28)
  wav.writeUInt16LE(1, 32)
  wav.writeUInt16LE(8, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(samples, 40)
  return wav
}

/** A form with one required field. */
export function form(message: string, field: string, type: 'string' | 'boolean' = 'string'): Question {
  return {
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties: { [field]: { type } }, required: [field] } },
  }
}

export function sampling(text: string, maxTokens: number): Question {
  return {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens },
  }
}

export const ROOTS: Question = { method: 'roots/list' }
