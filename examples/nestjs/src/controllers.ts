import type { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Inject, Param, ParseIntPipe, Post, Req, Res } from '@nestjs/common';
import { livenessHandler, type ProbeHandler, readinessHandler } from 'opendelivery-client';
import { OpenDeliveryHealth } from 'opendelivery-client/nestjs';
import { type Ticket, TicketsService } from './tickets.service';

@Controller('tickets')
export class TicketsController {
  constructor(@Inject(TicketsService) private readonly tickets: TicketsService) {}

  @Get()
  list(): Promise<Ticket[]> {
    return this.tickets.list();
  }

  @Post(':number/ready')
  ready(@Param('number', ParseIntPipe) number: number): Promise<Ticket> {
    return this.tickets.ready(number);
  }
}

/** The probes of a container. With `@nestjs/terminus`: `health.isHealthy('orders')`. */
@Controller()
export class ProbesController {
  private readonly probes: { readonly live: ProbeHandler; readonly ready: ProbeHandler };

  constructor(@Inject(OpenDeliveryHealth) health: OpenDeliveryHealth) {
    this.probes = { live: livenessHandler(health), ready: readinessHandler(health) };
  }

  @Get('livez')
  live(@Req() request: IncomingMessage, @Res() response: ServerResponse): void {
    this.probes.live(request, response);
  }

  @Get('readyz')
  ready(@Req() request: IncomingMessage, @Res() response: ServerResponse): void {
    this.probes.ready(request, response);
  }
}
