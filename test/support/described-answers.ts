import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** One operation of the document. */
interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

/** As much of an OpenAPI document as is used here. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

/** Holds answers against the document that describes them. */
export class DescribedAnswers {
  private readonly ajv = new Ajv2020({ allErrors: true, strictTypes: false });
  private readonly document: OpenApiDocument;

  constructor(document: OpenApiDocument) {
    this.document = document;
    this.ajv.addVocabulary(['openapi', 'info', 'servers', 'paths', 'components']);
    this.ajv.addSchema({ $id: 'api', ...document });
  }

  /** All of them, as `GET /jobs/{id}`. */
  get operations(): string[] {
    return Object.entries(this.document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
  }

  /**
   * @param path of the request, below the API's.
   * @throws Error where the document does not have such an answer.
   */
  check(method: string, path: string, status: number, type: string, body: unknown): void {
    const what = `${method} ${path} ${status} ${type}`;
    const template = this.templateOf(path);
    const operation = this.document.paths[template]?.[method.toLowerCase()];
    const mediaType = type.replace(/;.*/, '');
    if (!operation?.responses[String(status)]?.content[mediaType]) {
      throw new Error(`The document does not have ${what}`);
    }
    const pointer = [
      'paths',
      template,
      method.toLowerCase(),
      'responses',
      String(status),
      'content',
      mediaType,
      'schema',
    ];
    const escaped = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
    const validate = this.ajv.compile({ $ref: `api#/${escaped.join('/')}` });
    if (!validate(body)) {
      const errors = (validate.errors as ErrorObject[]).map(
        ({ instancePath, message }) => `${instancePath} ${message}`,
      );
      throw new Error(`${what} is not as described: ${errors.join('; ')}\n${JSON.stringify(body)}`);
    }
  }

  private templateOf(path: string): string {
    const parts = `/${path.replace(/\?.*/, '')}`.split('/');
    const fits = (template: string): boolean => {
      const wanted = template.split('/');
      return (
        wanted.length === parts.length && wanted.every((part, index) => part === parts[index] || part.startsWith('{'))
      );
    };
    const fitting = Object.keys(this.document.paths).filter(fits);
    return fitting.find((template) => !template.includes('{')) ?? fitting[0] ?? path;
  }
}
