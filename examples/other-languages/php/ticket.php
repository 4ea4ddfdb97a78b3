<?php

declare(strict_types=1);

/** What the store reads about an order, on the screen and on the ticket of the kitchen. */
final class Ticket
{
    /** Hubs send values that the standard does not list: they are shown as they are. */
    private const NAMES = [
        'MERCHANT' => 'loja',
        'MARKETPLACE' => 'plataforma',
        'CASH' => 'dinheiro',
        'CREDIT' => 'crédito',
        'DEBIT' => 'débito',
        'PIX' => 'Pix',
    ];

    /** The order as text, one line for each thing to know. `$stage` is its newest one. */
    public static function of(array $order, string $stage): string
    {
        return implode("\n", array_filter([...self::lines($order, $stage)]));
    }

    private static function lines(array $order, string $stage): iterable
    {
        yield "Pedido {$order['displayId']}: $stage";
        yield self::kind($order);
        foreach ($order['items'] as $item) {
            yield "{$item['quantity']} x {$item['name']} " . self::amount($item['totalPrice']);
            foreach ($item['options'] ?? [] as $option) {
                yield "  + {$option['quantity']} {$option['name']}";
            }
            yield self::note('  Obs.', $item['specialInstructions'] ?? null);
        }
        yield self::note('Obs.', $order['extraInfo'] ?? null);
        foreach ($order['otherFees'] ?? [] as $fee) {
            yield "{$fee['name']} " . self::amount($fee['price']);
        }
        foreach ($order['discounts'] ?? [] as $discount) {
            $sponsors = array_map(fn ($value) => self::name($value['name']), $discount['sponsorshipValues'] ?? []);
            yield 'Desconto -' . self::amount($discount['amount']) . ' (' . implode(', ', $sponsors) . ')';
        }
        yield 'Total ' . self::amount($order['total']['orderAmount']);
        yield from self::payments($order['payments'] ?? []);
        yield from self::customer($order);
    }

    private static function kind(array $order): string
    {
        if ($order['type'] === 'TAKEOUT') {
            return 'Retirada às ' . self::moment($order['takeout']['takeoutDateTime']);
        }
        if ($order['type'] === 'INDOOR') {
            return 'No local, ' . ($order['indoor']['place'] ?? '');
        }
        $schedule = $order['schedule']['scheduledDateTimeStart'] ?? null;
        $due = $schedule === null ? '' : ', agendado para ' . self::moment($schedule);
        return 'Entrega pela ' . self::name($order['delivery']['deliveredBy']) . $due;
    }

    private static function payments(array $paid): iterable
    {
        foreach ($paid['methods'] ?? [] as $method) {
            ['value' => $value, 'type' => $type] = $method;
            $what = self::name($method['method']) . ' ' . ($method['brand'] ?? '') . ' ' . self::decimals($value);
            yield $type === 'PREPAID' ? "Pago: $what" : "Cobrar: $what";
            $changeFor = $method['changeFor'] ?? 0;
            if ($changeFor > 0) {
                yield 'Troco para ' . self::decimals($changeFor) . ': ' . self::decimals($changeFor - $value);
            }
        }
    }

    private static function customer(array $order): iterable
    {
        yield $order['customer']['name'] ?? '';
        yield self::note('CPF/CNPJ', $order['customer']['documentNumber'] ?? null);
        $address = $order['delivery']['deliveryAddress'] ?? [];
        yield $address['formattedAddress'] ?? '';
        yield self::note('Complemento', $address['complement'] ?? null);
        yield self::note('Referência', $address['reference'] ?? null);
        yield self::note('Código de coleta', $order['delivery']['pickupCode'] ?? null);
    }

    private static function note(string $label, ?string $text): string
    {
        return $text === null || $text === '' ? '' : "$label: $text";
    }

    private static function name(string $value): string
    {
        return self::NAMES[$value] ?? $value;
    }

    private static function amount(array $price): string
    {
        return self::decimals($price['value']);
    }

    private static function decimals(float $value): string
    {
        return number_format($value, 2, ',', '.');
    }

    /** The standard's instants are in UTC; the store's clock is not. */
    private static function moment(string $text): string
    {
        return (new DateTimeImmutable($text))->setTimezone(new DateTimeZone('-03:00'))->format('d/m H:i');
    }
}
