/** The built-in sample: a small document that shows all features of the mocks. */

const PET_PARAMETER = { $ref: '#/components/parameters/PetId' }
const PET = { $ref: '#/components/schemas/Pet' }
const NOT_FOUND = { $ref: '#/components/responses/NotFound' }
const BAD_REQUEST = { $ref: '#/components/responses/BadRequest' }
const UNAUTHORIZED = { $ref: '#/components/responses/Unauthorized' }
const FORBIDDEN = { $ref: '#/components/responses/Forbidden' }
const NEW_PET = {
  required: true,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/NewPet' },
      example: { name: 'Rex', tag: 'good', status: 'available' },
    },
  },
}

const STATUS = { type: 'string', enum: ['available', 'pending', 'sold'] }
const PET_PROPERTIES = {
  id: { type: 'integer', format: 'int64' },
  name: { type: 'string', minLength: 1 },
  tag: { type: ['string', 'null'] },
  status: { $ref: '#/components/schemas/Status' },
}

const REX = { id: 1, name: 'Rex', tag: 'good', status: 'available' }
const MISTY = { id: 2, name: 'Misty', tag: null, status: 'pending' }

function errorResponse(description: string, code: number, message: string): object {
  return {
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { code, message } } },
  }
}

/** OpenAPI 3.1.0. */
export const PETSTORE = {
  openapi: '3.1.0',
  info: {
    title: 'Petstore',
    version: '1.0.0',
    description: 'A sample API with pets, their photos, and the store inventory.',
  },
  servers: [{ url: '/v1' }],
  tags: [{ name: 'pets' }, { name: 'store' }],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        summary: 'List pets',
        tags: ['pets'],
        parameters: [
          {
            name: 'limit',
            in: 'query',
            description: 'Maximum number of pets',
            schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
          },
          {
            name: 'status',
            in: 'query',
            description: 'Only pets with this status',
            schema: { $ref: '#/components/schemas/Status' },
          },
        ],
        responses: {
          200: {
            description: 'Pets',
            content: { 'application/json': { schema: { type: 'array', items: PET }, example: [REX, MISTY] } },
          },
        },
      },
      post: {
        operationId: 'createPet',
        summary: 'Create a pet',
        tags: ['pets'],
        security: [{ oauth: ['pets:write'] }],
        requestBody: NEW_PET,
        responses: {
          201: {
            description: 'Created',
            headers: {
              Location: {
                description: 'URL of the pet',
                schema: { type: 'string', format: 'uri-reference' },
                example: '/v1/pets/3',
              },
            },
            content: { 'application/json': { schema: PET, example: { ...REX, id: 3 } } },
          },
          400: BAD_REQUEST,
          401: UNAUTHORIZED,
          403: FORBIDDEN,
        },
      },
    },
    '/pets/{id}': {
      parameters: [PET_PARAMETER],
      get: {
        operationId: 'getPetById',
        summary: 'Get a pet',
        tags: ['pets'],
        responses: {
          200: {
            description: 'The pet',
            content: {
              'application/json': {
                schema: PET,
                examples: { dog: { summary: 'A dog', value: REX }, cat: { summary: 'A cat', value: MISTY } },
              },
              'application/xml': { schema: { $ref: '#/components/schemas/PetElement' } },
            },
          },
          404: NOT_FOUND,
        },
      },
      put: {
        operationId: 'updatePet',
        summary: 'Replace a pet',
        tags: ['pets'],
        security: [{ bearer: [] }],
        requestBody: NEW_PET,
        responses: {
          200: { description: 'The updated pet', content: { 'application/json': { schema: PET } } },
          400: BAD_REQUEST,
          401: UNAUTHORIZED,
          404: NOT_FOUND,
        },
      },
      delete: {
        operationId: 'deletePet',
        summary: 'Delete a pet',
        tags: ['pets'],
        security: [{ apiKey: [] }],
        responses: { 204: { description: 'Deleted' }, 401: UNAUTHORIZED, 404: NOT_FOUND },
      },
    },
    '/pets/{id}/photo': {
      parameters: [PET_PARAMETER],
      put: {
        operationId: 'uploadPhoto',
        summary: 'Upload a photo of a pet',
        tags: ['pets'],
        security: [{ mtls: [] }],
        requestBody: {
          required: true,
          content: { 'image/png': { schema: { type: 'string', contentMediaType: 'image/png' } } },
        },
        responses: { 204: { description: 'Stored' }, 401: UNAUTHORIZED, 404: NOT_FOUND },
      },
    },
    '/store/inventory': {
      get: {
        operationId: 'getInventory',
        summary: 'Count pets by status',
        tags: ['store'],
        security: [{ basic: [] }],
        responses: {
          200: {
            description: 'Number of pets by status',
            content: {
              'application/json': {
                schema: { type: 'object', additionalProperties: { type: 'integer' } },
                example: { available: 12, pending: 3, sold: 7 },
              },
            },
          },
          401: UNAUTHORIZED,
        },
      },
    },
  },
  components: {
    parameters: {
      PetId: {
        name: 'id',
        in: 'path',
        required: true,
        description: 'Id of the pet',
        schema: { type: 'integer', format: 'int64' },
        example: 1,
      },
    },
    responses: {
      BadRequest: errorResponse('The request is not valid', 400, 'the request does not fit'),
      Unauthorized: errorResponse('Credentials are missing or wrong', 401, 'credentials are missing or wrong'),
      Forbidden: errorResponse('The token lacks a scope', 403, 'the token lacks a scope'),
      NotFound: errorResponse('The pet does not exist', 404, 'no such pet'),
    },
    schemas: {
      Status: STATUS,
      NewPet: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1 },
          tag: { type: ['string', 'null'] },
          status: { $ref: '#/components/schemas/Status' },
        },
      },
      Pet: { type: 'object', required: ['id', 'name'], properties: PET_PROPERTIES },
      // As a schema that nothing else refers to: some tools take all that has a name in XML for XML alone.
      PetElement: {
        type: 'object',
        required: ['id', 'name'],
        properties: { ...PET_PROPERTIES, status: STATUS },
        xml: { name: 'pet' },
      },
      Error: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'integer' }, message: { type: 'string' } },
      },
    },
    securitySchemes: {
      oauth: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: { 'pets:write': 'Create pets' } } },
      },
      bearer: { type: 'http', scheme: 'bearer' },
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      basic: { type: 'http', scheme: 'basic' },
      mtls: { type: 'mutualTLS' },
    },
  },
}
