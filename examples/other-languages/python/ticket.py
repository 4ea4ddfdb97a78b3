"""What the store reads about an order, on the screen and on the ticket of the kitchen."""

from datetime import datetime, timedelta, timezone

BRASILIA = timezone(timedelta(hours=-3))

# Hubs send values that the standard does not list: they are shown as they are.
NAMES = {
    "MERCHANT": "loja",
    "MARKETPLACE": "plataforma",
    "CASH": "dinheiro",
    "CREDIT": "crédito",
    "DEBIT": "débito",
    "PIX": "Pix",
}


def ticket(order, stage):
    """The order as text, one line for each thing to know. `stage` is its newest one."""
    return "\n".join(line for line in lines(order, stage) if line)


def lines(order, stage):
    yield f"Pedido {order['displayId']}: {stage}"
    yield kind(order)
    for item in order["items"]:
        yield f"{item['quantity']} x {item['name']} {amount(item['totalPrice'])}"
        for option in item.get("options") or []:
            yield f"  + {option['quantity']} {option['name']}"
        yield note("  Obs.", item.get("specialInstructions"))
    yield note("Obs.", order.get("extraInfo"))
    for fee in order.get("otherFees") or []:
        yield f"{fee['name']} {amount(fee['price'])}"
    for discount in order.get("discounts") or []:
        sponsors = [name(value["name"]) for value in discount.get("sponsorshipValues") or []]
        yield f"Desconto -{amount(discount['amount'])} ({', '.join(sponsors)})"
    yield f"Total {amount(order['total']['orderAmount'])}"
    yield from payments(order.get("payments") or {})
    yield from customer(order)


def kind(order):
    if order["type"] == "TAKEOUT":
        return f"Retirada às {moment(order['takeout']['takeoutDateTime'])}"
    if order["type"] == "INDOOR":
        return f"No local, {order['indoor'].get('place', '')}"
    schedule = order.get("schedule")
    due = f", agendado para {moment(schedule['scheduledDateTimeStart'])}" if schedule else ""
    return f"Entrega pela {name(order['delivery']['deliveredBy'])}{due}"


def payments(paid):
    for method in paid.get("methods") or []:
        brand = method.get("brand") or ""
        what = f"{name(method['method'])} {brand} {method['value']:.2f}"
        if method["type"] == "PREPAID":
            yield f"Pago: {what}"
        else:
            yield f"Cobrar: {what}"
        if method.get("changeFor"):
            yield f"Troco para {method['changeFor']:.2f}: {method['changeFor'] - method['value']:.2f}"


def customer(order):
    person = order.get("customer") or {}
    yield person.get("name")
    yield note("CPF/CNPJ", person.get("documentNumber"))
    delivery = order.get("delivery") or {}
    address = delivery.get("deliveryAddress") or {}
    yield address.get("formattedAddress")
    yield note("Complemento", address.get("complement"))
    yield note("Referência", address.get("reference"))
    yield note("Código de coleta", delivery.get("pickupCode"))


def note(label, text):
    return f"{label}: {text}" if text else ""


def name(value):
    return NAMES.get(value, value)


def amount(price):
    return f"{price['value']:.2f}"


def moment(text):
    """The standard's instants are in UTC; the store's clock is not."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(BRASILIA).strftime("%d/%m %H:%M")
